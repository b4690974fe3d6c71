package import LinuxIO

extension ArchiveInspection {
    /// The newest generation beside the archive, if a daemon uses that rather than what is left of a
    /// damaged archive (L5).
    ///
    /// - Parameter folder: the application's folder, which the archive lies in; nothing is changed there.
    /// - Returns: the generation's path; nil if none is newer than ``contents``.
    package func newerGeneration(in folder: some Folder) throws(IOError) -> String? {
        let newest = try History.newest(
            in: folder, limit: ArchiveFormat.largestFile,
            bundleIdentifier: header?.bundleIdentifier)
        let left = isHeaderIntact ? contents?.sequence ?? 0 : 0
        return newest.flatMap { $0.prefix.end.sequence > left ? $0.path : nil }
    }
}
