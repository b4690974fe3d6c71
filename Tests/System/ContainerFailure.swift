import SystemPackage

/// Error for a container that did not boot.
struct ContainerFailure: Error, CustomStringConvertible {
    /// Root directory of the container.
    let root: FilePath

    /// Reason for which the wait ended: `EAGAIN` after one minute, or `EPIPE` if the container exited.
    let cause: Errno

    /// Output of the container and the script.
    let console: String

    /// Description of the failure, with the root directory and the output.
    var description: String {
        "the container in \(root) did not boot (\(cause)); see what it wrote:\n\(console)"
    }
}
