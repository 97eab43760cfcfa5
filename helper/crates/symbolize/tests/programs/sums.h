static inline __attribute__((always_inline)) int add(int left, int right)
{
	volatile int kept = left;
	return kept + right;
}
