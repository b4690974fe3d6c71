// A minimal program for comparison. It does one of the following:
//   BarePeer              sends READY=1 to the notification socket, and exits
//   BarePeer PATH         listens on a socket and echoes all input, until the process is stopped
//   BarePeer PATH COUNT   makes COUNT connections to a socket, passes their descriptors over standard input, and waits
//                         until standard input ends
//   BarePeer PATH COUNT REQUEST
//                         makes COUNT calls, each over a new connection, and prints the average time of a call in µs
//   BarePeer PATH COUNT REQUEST read
//                         makes one call over each of COUNT connections, and reads replies until standard input ends
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <string.h>
#include <time.h>
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

static int pass_connections(int count) {
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

// Connects and sends a request with a terminating NUL. Returns the connection, or -1 on failure.
static int send_request(const char *request) {
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    ssize_t length = strlen(request) + 1;
    if (connect(file, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return send(file, request, length, MSG_NOSIGNAL) == length ? file : -1;
}

static int call_repeatedly(int count, const char *request) {
    char bytes[1 << 16];
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < count; i++) {
        int file = send_request(request);
        if (file < 0) return 1;
        for (;;) {
            ssize_t length = read(file, bytes, sizeof bytes);
            if (length <= 0) return 1;
            if (bytes[length - 1] == 0) break;
        }
        close(file);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%f\n", seconds * 1e6 / count);
    return 0;
}

static int read_replies(int count, const char *request) {
    char bytes[1 << 16];
    struct pollfd *files = calloc(count + 1, sizeof *files);
    files[count] = (struct pollfd){.fd = 0, .events = POLLIN};
    for (int i = 0; i < count; i++) {
        files[i] = (struct pollfd){.fd = send_request(request), .events = POLLIN};
        if (files[i].fd < 0) return 1;
    }
    for (;;) {
        poll(files, count + 1, -1);
        if (files[count].revents) return 0;
        for (int i = 0; i < count; i++)
            if (files[i].revents && read(files[i].fd, bytes, sizeof bytes) <= 0) return 1;
    }
}

int main(int count, char **arguments) {
    if (count > 1) strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    if (count > 4) return read_replies(atoi(arguments[2]), arguments[3]);
    if (count > 3) return call_repeatedly(atoi(arguments[2]), arguments[3]);
    if (count > 2) return pass_connections(atoi(arguments[2]));
    if (count > 1) return echo();
    sd_notify(0, "READY=1");
    return 0;
}
