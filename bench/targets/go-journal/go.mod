module lineheat.example/journal

go 1.19
