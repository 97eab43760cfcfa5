/* tcp-send [--more] [--messages N] */
#define _GNU_SOURCE
#include "connection.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

void fail(const char *what) {
    perror(what);
    exit(1);
}

int main(int argc, char **argv) {
    long messages = 120000;
    int flags = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--more") == 0) flags = MSG_MORE;
        if (strcmp(argv[i], "--messages") == 0 && i + 1 < argc) messages = strtol(argv[++i], NULL, 10);
    }

    struct server server = {0};
    int port = listen_on_loopback(&server.listener);
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, &server) != 0) fail("pthread_create");
    pthread_setname_np(thread, "server");
    send_messages(port, messages, flags);
    pthread_join(thread, NULL);
    printf("%ld messages, %zu bytes\n", messages, server.bytes_read);
}
