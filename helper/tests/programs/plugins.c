/* Loads each of the named libraries, calls its "work", and unloads it again, ROUNDS times round.
 *
 *   plugins ROUNDS LIBRARY...
 */
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int round = 0; round < atoi(argv[1]); round++)
		for (int i = 2; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW);
			void (*work)(void) = library ? (void (*)(void))dlsym(library, "work") : 0;
			if (!work)
				return 1;
			work(); /* the call */
			dlclose(library);
		}
	return 0;
}
