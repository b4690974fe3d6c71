// A program that does one thing and nothing else:
//   BarePeer              sends READY=1
//   BarePeer PATH         answers every connection to a socket there with the bytes it got, until it is ended
//   BarePeer PATH COUNT   makes so many connections, hands them over by standard input, and waits for its end
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <string.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static int echo(void) {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0)
        return 1;
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    struct epoll_event events[64];
    char bytes[1 << 16];
    for (;;) {
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            int file = events[i].data.fd;
            if (file == listener) {
                event.data.fd = accept(listener, NULL, NULL);
                epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
                continue;
            }
            ssize_t length = read(file, bytes, sizeof bytes);
            if (length <= 0 || write(file, bytes, length) != length) close(file);
        }
    }
}

static int hand_over(int count) {
    char control[CMSG_SPACE(64 * sizeof(int))] = {0};
    struct iovec one = {.iov_base = "", .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &one, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(count * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    for (int i = 0; i < count; i++) {
        int file = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(file, (struct sockaddr *)&address, sizeof address) != 0) return 1;
        memcpy(CMSG_DATA(header) + i * sizeof file, &file, sizeof file);
    }
    if (sendmsg(0, &message, 0) != 1) return 1;
    char end;
    return read(0, &end, 1) != 0;
}

int main(int count, char **arguments) {
    if (count > 1) strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    if (count > 2) return hand_over(atoi(arguments[2]));
    if (count > 1) return echo();
    sd_notify(0, "READY=1");
    return 0;
}
