module lineheat.example/words

go 1.19
