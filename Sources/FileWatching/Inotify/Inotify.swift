import Glibc
internal import LinuxIO
internal import SystemPackage

/// An instance of inotify(7), closed when the last reference to it goes away.
final class Inotify: Sendable {
    private let descriptor: OwnedDescriptor

    /// Room for a few hundred events, and for any one of them.
    private static let bufferSize = 1 << 16

    /// - Throws: `EMFILE` when the user or the process has no more of them.
    init() throws(FileWatchError) {
        let number = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard number >= 0 else { throw FileWatchError(.start, nil, Errno(rawValue: errno)) }
        descriptor = OwnedDescriptor(number)
    }

    /// The descriptor's number, for poll(2).
    var number: CInt { descriptor.rawValue }

    /// Watches a folder or file, or more of one that is watched already.
    ///
    /// - Returns: the number of the watch, one for each inode; nil if nothing is there.
    func add(_ path: FilePath, _ mask: InotifyMask) throws(FileWatchError) -> CInt? {
        let watch = path.withPlatformString {
            inotify_add_watch(descriptor.rawValue, $0, mask.rawValue)
        }
        if watch >= 0 { return watch }
        let reason = Errno(rawValue: errno)
        if reason == .noSuchFileOrDirectory || reason == .notDirectory { return nil }
        throw FileWatchError(.watch, path, reason)
    }

    /// Ends a watch; one that the kernel has ended already is none to end.
    func remove(_ watch: CInt) { inotify_rm_watch(descriptor.rawValue, watch) }

    /// What happened since the last call, the oldest first; throws if the kernel tells nothing
    /// more.
    func read() throws(FileWatchError) -> [InotifyEvent] {
        try withUnsafeTemporaryAllocation(
            byteCount: Self.bufferSize, alignment: MemoryLayout<inotify_event>.alignment
        ) { buffer throws(FileWatchError) in
            while true {
                let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count)
                if count >= 0 {
                    return InotifyEvent.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                if errno == EAGAIN { return [] }
                if errno != EINTR {
                    throw FileWatchError(.notice, nil, Errno(rawValue: errno))
                }
            }
        }
    }
}
