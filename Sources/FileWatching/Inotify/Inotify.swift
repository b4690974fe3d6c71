import Glibc
internal import LinuxIO
internal import SystemPackage

/// inotify(7) instance that is closed when its last reference is released.
final class Inotify: Sendable {
    private let descriptor: OwnedDescriptor

    /// Size of the read buffer in bytes, which is enough for a few hundred events.
    private static let bufferSize = 1 << 16

    /// Creates an instance.
    ///
    /// - Throws: `EMFILE` if the user has too many instances or the process has too many open files.
    init() throws(FileWatchError) {
        let descriptorNumber = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        guard descriptorNumber >= 0 else {
            throw FileWatchError(.start, nil, Errno(rawValue: errno))
        }
        descriptor = OwnedDescriptor(descriptorNumber)
    }

    /// Descriptor of the instance, for poll(2).
    var descriptorNumber: CInt { descriptor.rawValue }

    /// Adds a watch for a directory or file, or adds events to its existing watch.
    ///
    /// - Returns: The number of the watch, which is unique for each inode, or `nil` if the path does not exist.
    func addWatch(on path: FilePath, for mask: InotifyMask) throws(FileWatchError) -> CInt? {
        let watchNumber = path.withPlatformString {
            inotify_add_watch(descriptor.rawValue, $0, mask.rawValue)
        }
        if watchNumber >= 0 { return watchNumber }
        let reason = Errno(rawValue: errno)
        if reason == .noSuchFileOrDirectory || reason == .notDirectory { return nil }
        throw FileWatchError(.watch, path, reason)
    }

    /// Removes a watch, unless the kernel has already removed it.
    func removeWatch(_ watchNumber: CInt) { inotify_rm_watch(descriptor.rawValue, watchNumber) }

    /// Returns the events since the previous call, oldest first.
    ///
    /// - Throws: ``FileWatchError`` if events can no longer be read.
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
                    throw FileWatchError(.detectChanges, nil, Errno(rawValue: errno))
                }
            }
        }
    }
}
