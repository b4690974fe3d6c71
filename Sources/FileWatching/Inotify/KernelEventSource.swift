internal import CLinux
import Glibc
internal import LinuxIO
internal import SystemPackage

/// Source of the kernel's events about files and mounts.
final class KernelEventSource: Sendable {
    /// Kind of event.
    enum Kind { case files, mounts, end }

    let inotify: Inotify
    private let wake: OwnedDescriptor
    /// Descriptor of the mount table, or -1 if the table cannot be opened.
    ///
    /// poll(2) reports changes to the table (proc_pid_mountinfo(5)). Without the table, inotify still reports unmounts,
    /// but new mounts are not reported.
    private let mounts: OwnedDescriptor

    init() throws(FileWatchError) {
        inotify = try Inotify()
        let number = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard number >= 0 else { throw FileWatchError(.start, nil, Errno(rawValue: errno)) }
        wake = OwnedDescriptor(number)
        mounts = OwnedDescriptor(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    }

    /// Causes ``wait()`` to return ``Kind/end`` from now on.
    func end() { eventfd_write(wake.rawValue, 1) }

    /// Waits for events, and returns their kinds.
    ///
    /// - Throws: An error if no more events can be reported.
    func wait() throws(FileWatchError) -> [Kind] {
        var polled = [
            pollfd(fd: wake.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts.rawValue, events: Int16(POLLPRI), revents: 0),
        ]
        while poll(&polled, nfds_t(polled.count), -1) < 0 {
            let reason = Errno(rawValue: errno)
            if reason != .interrupted { throw FileWatchError(.detectChanges, nil, reason) }
        }
        // For the mount table, POLLERR reports a change.
        let isBroken =
            polled.contains { $0.revents & Int16(POLLNVAL) != 0 }
            || polled.dropLast().contains { $0.revents & Int16(POLLERR | POLLHUP) != 0 }
        if isBroken { throw FileWatchError(.detectChanges, nil, .badFileDescriptor) }
        return zip([Kind.end, .files, .mounts], polled).filter { $0.1.revents != 0 }.map(\.0)
    }
}
