// Two functions with the same code, which a linker may make one.
#include <cstdio>

__attribute__((noinline)) int first(int value) { return value * 31 + 7; }
__attribute__((noinline)) int second(int value) { return value * 31 + 7; }

int main(int argc, char **) { std::printf("%d\n", first(argc) + second(argc + 1)); }
