/// Devices that contain an application's directory and its parent.
///
/// A device is `nil` if its directory does not exist or was not checked.
struct DirectoryDevices: Sendable, Equatable {
    var applications: UInt64?
    var directory: UInt64?

    /// Returns whether each directory is on the same device as before. Unknown devices are ignored.
    func agree(with now: DirectoryDevices) -> Bool {
        func agree(_ one: UInt64?, _ other: UInt64?) -> Bool {
            one == nil || other == nil || one == other
        }
        return agree(applications, now.applications) && agree(directory, now.directory)
    }
}
