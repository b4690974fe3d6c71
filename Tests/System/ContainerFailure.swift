import SystemPackage

/// A container that did not boot.
struct ContainerFailure: Error, CustomStringConvertible {
    /// Its root folder.
    let root: FilePath

    /// What waiting for it ended with: `EAGAIN` after a minute, `EPIPE` when it ended.
    let cause: Errno

    /// All that it and the script wrote.
    let console: String

    /// What happened, where, and what was written.
    var description: String {
        "the container in \(root) did not boot (\(cause)); see what it wrote:\n\(console)"
    }
}
