module sums

go 1.18
