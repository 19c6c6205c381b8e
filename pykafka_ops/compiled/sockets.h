/* Sockets of clients (broker/runtime/sockets/plain/raw.pxd), where the system has epoll. */

#ifndef PKO_SOCKETS_H
#define PKO_SOCKETS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#define PKO_MOST_EVENTS 128

#ifdef __linux__
#include <sys/epoll.h>

/* Pairs of descriptor and flags; how many, -1 with errno. */
static int pko_wait(int epoll, int32_t *pairs, int most)
{
    struct epoll_event found[PKO_MOST_EVENTS];
    int count = epoll_wait(epoll, found, most < PKO_MOST_EVENTS ? most : PKO_MOST_EVENTS, 0);
    for (int i = 0; i < count; i++) {
        pairs[2 * i] = found[i].data.fd;
        pairs[2 * i + 1] = (int32_t)found[i].events;
    }
    return count;
}
#else
static int pko_wait(int epoll, int32_t *pairs, int most)
{
    (void)epoll, (void)pairs, (void)most;
    errno = ENOSYS;
    return -1;
}
#endif

/* A number that changes every 4 ms; the coarse clock takes no time to read. */
static int64_t pko_tick(void)
{
    struct timespec now = {0, 0};
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (int64_t)now.tv_sec * 250 + now.tv_nsec / 4000000;
}

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* Bytes, 0 at the end, -1 if nothing is there, -2 with errno. */
static ssize_t pko_receive(int fd, void *room, size_t size)
{
    for (;;) {
        ssize_t done = recv(fd, room, size, MSG_DONTWAIT);
        if (done >= 0)
            return done;
        if (errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : -2;
    }
}

/* Bytes, 0 if none are taken, -2 with errno. */
static ssize_t pko_send(int fd, const void *data, size_t size)
{
    for (;;) {
        ssize_t done = send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (done >= 0)
            return done;
        if (errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -2;
    }
}

#endif
