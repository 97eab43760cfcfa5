/* The reading end. */
#include "connection.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int listen_on_loopback(int *listener) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener < 0) fail("socket");
    if (bind(*listener, (struct sockaddr *)&address, sizeof address) != 0) fail("bind");
    if (listen(*listener, 1) != 0) fail("listen");
    if (getsockname(*listener, (struct sockaddr *)&address, &length) != 0) fail("getsockname");
    return ntohs(address.sin_port);
}

void *serve(void *argument) {
    struct server *server = argument;
    char bytes[16384];
    int fd = accept(server->listener, NULL, NULL);
    if (fd < 0) fail("accept");
    for (ssize_t got; (got = read(fd, bytes, sizeof bytes)) != 0;) {
        if (got < 0) fail("read");
        server->bytes_read += (size_t)got;
    }
    close(fd);
    close(server->listener);
    return NULL;
}
