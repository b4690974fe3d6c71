import Glibc

/// Operations on the file descriptors of this process.
package enum FileDescriptors {
    /// Opens `/dev/null` for each standard descriptor that is closed.
    ///
    /// Otherwise, the next file or socket would get the number of the closed descriptor, and could receive log lines.
    /// Reading from standard input and writing to standard output or standard error still fail with `EBADF`.
    package static func openMissingStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Marks the epoll(7) descriptors of this process as close-on-exec.
    ///
    /// SwiftNIO's event loops create their descriptors without `EPOLL_CLOEXEC`. If `/proc` is not mounted, this method
    /// does nothing.
    package static func setCloseOnExecOnEpollDescriptors() {
        let directoryPath = "/proc/self/fd"
        guard let names = try? Directory.open(directoryPath)?.names() else { return }
        for descriptor in names.compactMap({ CInt($0) }) {
            var linkTarget = [UInt8](repeating: 0, count: 64)
            let count = readlink("\(directoryPath)/\(descriptor)", &linkTarget, linkTarget.count)
            guard count > 0, linkTarget.prefix(count).elementsEqual("anon_inode:[eventpoll]".utf8)
            else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
