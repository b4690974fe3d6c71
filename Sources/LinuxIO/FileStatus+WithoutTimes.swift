import CLinux

extension FileStatus {
    /// Mask that makes statx(2) return a status without timestamps.
    ///
    /// After a program has requested a file's timestamps, Linux 6.13 and later record a fine-grained timestamp on the
    /// next write. On some file systems, the next fdatasync(2) must then write the inode as well.
    static let maskWithoutTimes = UInt32(
        STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_INO | STATX_SIZE)

    /// Creates a status without times.
    init(_ rawStatus: statx) {
        let device = withUnsafePointer(to: rawStatus) { linux_device($0) }
        self.init(
            size: Int(truncatingIfNeeded: rawStatus.stx_size),
            linkCount: UInt64(rawStatus.stx_nlink),
            inode: rawStatus.stx_ino, device: UInt64(device), mode: UInt32(rawStatus.stx_mode))
    }
}
