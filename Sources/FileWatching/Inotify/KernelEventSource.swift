internal import CLinux
import Glibc
internal import LinuxIO
internal import SystemPackage

/// Source of kernel events about files and mounts.
final class KernelEventSource: Sendable {
    /// Kind of event.
    enum Kind { case files, mounts, end }

    let inotify: Inotify
    private let wakeUpDescriptor: OwnedDescriptor
    /// Descriptor of the mount table, or -1 if the table cannot be opened.
    ///
    /// poll(2) reports changes to the table (see proc_pid_mountinfo(5)). Without the table, unmounts are still reported
    /// by inotify, but new mounts are not.
    private let mountTableDescriptor: OwnedDescriptor

    init() throws(FileWatchError) {
        inotify = try Inotify()
        let eventDescriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard eventDescriptor >= 0 else {
            throw FileWatchError(.start, nil, Errno(rawValue: errno))
        }
        wakeUpDescriptor = OwnedDescriptor(eventDescriptor)
        mountTableDescriptor = OwnedDescriptor(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    }

    /// Makes ``waitForEvents()`` return ``Kind/end`` from now on.
    func end() { eventfd_write(wakeUpDescriptor.rawValue, 1) }

    /// Waits for events, and returns their kinds.
    ///
    /// - Throws: ``FileWatchError`` if events can no longer be reported.
    func waitForEvents() throws(FileWatchError) -> [Kind] {
        var pollDescriptors = [
            pollfd(fd: wakeUpDescriptor.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inotify.descriptorNumber, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mountTableDescriptor.rawValue, events: Int16(POLLPRI), revents: 0),
        ]
        while poll(&pollDescriptors, nfds_t(pollDescriptors.count), -1) < 0 {
            let reason = Errno(rawValue: errno)
            if reason != .interrupted { throw FileWatchError(.detectChanges, nil, reason) }
        }
        // For the mount table, POLLERR only means that the table has changed.
        let hasBrokenDescriptor =
            pollDescriptors.contains { $0.revents & Int16(POLLNVAL) != 0 }
            || pollDescriptors.dropLast().contains { $0.revents & Int16(POLLERR | POLLHUP) != 0 }
        if hasBrokenDescriptor { throw FileWatchError(.detectChanges, nil, .badFileDescriptor) }
        return zip([Kind.end, .files, .mounts], pollDescriptors).filter { $0.1.revents != 0 }.map(
            \.0)
    }
}
