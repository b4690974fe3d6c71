package import LinuxIO

/// A sync of an archive, to be run on any thread while appends go on.
package struct SyncJob: Sendable {
    /// The files, each as far as it goes.
    let files: [ArchiveFile]
    let epoch: UInt64
    /// The number of the last write that it covers, see ``ApplicationArchive/writeNumber``.
    package let covers: UInt64
    /// The names to make durable too; nil: they are.
    let names: ArchiveNames?

    /// Returns when everything that was written before the job was made is durable.
    ///
    /// - Returns: why it is not, if it is not; the files must not be used any more then.
    package func run() -> Result<Void, IOError> {
        do throws(IOError) {
            for file in files { try file.synchronizeData() }
            try names?.synchronize()
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
