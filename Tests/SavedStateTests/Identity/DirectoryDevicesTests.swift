import Testing

@testable import SavedState

/// Tests of the devices on which the directories of an archive are.
@Suite struct DirectoryDevicesTests {
    @Test(
        arguments: [
            (1, 2, 1, 2, true), (1, 2, 9, 2, false), (1, 2, 1, 9, false), (1, 2, 9, 9, false),
            (nil, nil, 1, 2, true), (1, 2, nil, nil, true), (nil, 2, 1, 2, true),
            (1, nil, 1, 2, true), (nil, 2, 1, 9, false), (1, nil, 9, 2, false),
            (1, 2, nil, 9, false), (1, 2, 9, nil, false), (nil, 2, 1, nil, true),
        ] as [(UInt64?, UInt64?, UInt64?, UInt64?, Bool)])
    func `devices agree unless a known device has changed`(
        applications: UInt64?, directory: UInt64?, applicationsNow: UInt64?, directoryNow: UInt64?,
        agree: Bool
    ) {
        let devices = DirectoryDevices(
            parentDevice: applications, directoryDevice: directory)
        let now = DirectoryDevices(
            parentDevice: applicationsNow, directoryDevice: directoryNow)
        #expect(devices.agree(with: now) == agree)
    }
}
