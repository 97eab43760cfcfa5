/* Begins and ends what is watched. */
long trap(long unit)
{
	__asm__ volatile("int3");
	return unit;
}
