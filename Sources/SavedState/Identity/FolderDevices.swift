/// Devices of an application's directory and of its parent.
///
/// A device is `nil` if the directory does not exist or was not checked.
struct FolderDevices: Sendable, Equatable {
    var applications: UInt64?
    var folder: UInt64?

    /// Returns whether each directory is on the same device as before, if both devices are known.
    func agree(with now: FolderDevices) -> Bool {
        func agree(_ one: UInt64?, _ other: UInt64?) -> Bool {
            one == nil || other == nil || one == other
        }
        return agree(applications, now.applications) && agree(folder, now.folder)
    }
}
