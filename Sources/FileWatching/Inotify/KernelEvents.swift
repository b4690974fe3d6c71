internal import CLinux
import Glibc
internal import LinuxIO
internal import SystemPackage

/// Waits for what the kernel tells of files and of mounts, until it is told to end.
final class KernelEvents: Sendable {
    /// What there is to be looked at.
    enum Kind { case files, mounts, end }

    let inotify: Inotify
    private let wake: OwnedDescriptor
    /// The table of mounts, on which poll(2) tells that it changed (proc_pid_mountinfo(5)); -1
    /// where there is no /proc: then only unmounts are told, by inotify.
    private let mounts: OwnedDescriptor

    init() throws(FileWatchError) {
        inotify = try Inotify()
        let number = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard number >= 0 else { throw FileWatchError(.start, nil, Errno(rawValue: errno)) }
        wake = OwnedDescriptor(number)
        mounts = OwnedDescriptor(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    }

    /// Lets ``wait()`` return ``Kind/end`` from now on.
    func end() { eventfd_write(wake.rawValue, 1) }

    /// Returns when there is something to be looked at; throws if the kernel tells nothing more.
    func wait() throws(FileWatchError) -> [Kind] {
        var polled = [
            pollfd(fd: wake.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts.rawValue, events: Int16(POLLPRI), revents: 0),
        ]
        while poll(&polled, nfds_t(polled.count), -1) < 0 {
            let reason = Errno(rawValue: errno)
            if reason != .interrupted { throw FileWatchError(.notice, nil, reason) }
        }
        // Of the table of mounts an error is the news.
        let isBroken =
            polled.contains { $0.revents & Int16(POLLNVAL) != 0 }
            || polled.dropLast().contains { $0.revents & Int16(POLLERR | POLLHUP) != 0 }
        if isBroken { throw FileWatchError(.notice, nil, .badFileDescriptor) }
        return zip([Kind.end, .files, .mounts], polled).filter { $0.1.revents != 0 }.map(\.0)
    }
}
