/// Devices that contain an application's directory and its parent.
///
/// A device is `nil` if its directory does not exist or was not checked.
struct DirectoryDevices: Sendable, Equatable {
    var parentDevice: UInt64?
    var directoryDevice: UInt64?

    /// Returns whether each directory is on the same device as before. Unknown devices are ignored.
    func agree(with currentDevices: DirectoryDevices) -> Bool {
        func isUnchanged(_ previousDevice: UInt64?, _ currentDevice: UInt64?) -> Bool {
            previousDevice == nil || currentDevice == nil || previousDevice == currentDevice
        }
        return isUnchanged(parentDevice, currentDevices.parentDevice)
            && isUnchanged(directoryDevice, currentDevices.directoryDevice)
    }
}
