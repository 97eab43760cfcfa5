/* The two ends of the connection. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stddef.h>

/* Listens on a free port of the loopback address; gives the port, and the socket in *listener. Ends the program on error. */
int listen_on_loopback(int *listener);

/* Thread of the server: takes one connection of *listener and reads it to its end. The argument is struct server *. */
struct server {
    int listener;
    size_t bytes_read;
};
void *serve(void *server);

/* Sends `messages` messages to the port, in pieces; `flags` go with every piece but the last of a message. */
void send_messages(int port, long messages, int flags);

/* Says what failed, with errno's words, and ends the program. */
void fail(const char *what);

#endif
