/* The sending end: a message is eight pieces of unlike length. */
#include "connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { pieces = 8, longest = 96 };

static int connect_to(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    /* Without the delay of Nagle's algorithm, as most protocols of requests and answers set it. */
    int on = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail("setsockopt");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    return fd;
}

static void send_piece(int fd, const char *bytes, size_t length, int flags) {
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, flags);
        if (sent < 0) fail("send");
        bytes += sent;
        length -= (size_t)sent;
    }
}

void send_messages(int port, long messages, int flags) {
    char bytes[longest];
    memset(bytes, 'x', sizeof bytes);
    int fd = connect_to(port);
    for (long message = 0; message < messages; ++message)
        for (int piece = 0; piece < pieces; ++piece) {
            size_t length = 8 + (size_t)(message * 7 + piece * 31) % (longest - 8);
            send_piece(fd, bytes, length, piece + 1 < pieces ? flags : 0);
        }
    close(fd);
}
