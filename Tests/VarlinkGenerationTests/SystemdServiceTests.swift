import Glibc
import Testing
import Varlink

/// Calls to systemd's own services with generated clients.
///
/// The tests need the root directory of a host with systemd 257 in `REPRISE_SYSTEMD_ROOT`: `/`, or `/proc/PID/root` of
/// a container's first process. `SystemTests.PeerServerTests` runs the tests with a container.
@Suite(.enabled(if: getenv("REPRISE_SYSTEMD_ROOT") != nil)) struct SystemdServiceTests {
    private func connection(_ socket: String) throws -> VarlinkConnection {
        let root = getenv("REPRISE_SYSTEMD_ROOT").map { String(cString: $0) } ?? ""
        return try VarlinkConnection(path: "\(root)/run/systemd/\(socket)")
    }

    @Test func `systemd-hostnamed returns a description of the host`() async throws {
        let hostname = HostnameClient(try connection("io.systemd.Hostname"))
        let description = try await hostname.describe()
        #expect(!description.Hostname.isEmpty && description.KernelName == "Linux")
        #expect(description.MachineID.count == 32)
    }

    @Test func `systemd-journald accepts a synchronize call`() async throws {
        try await JournalClient(try connection("journal/io.systemd.journal")).synchronize()
    }

    @Test func `the service manager refuses unknown dynamic users and services`() async throws {
        let users = UserDatabaseClient(try connection("userdb/io.systemd.DynamicUser"))
        await #expect(throws: CallFailure<UserDatabaseError>.refused(.noRecordFound)) {
            _ = try await users.getUserRecord(
                userName: "nobody-of-this-name", service: "io.systemd.DynamicUser")
        }
        await #expect(throws: CallFailure<UserDatabaseError>.self) {
            for try await _ in users.getUserRecordReplies(service: "io.systemd.Unknown") {}
        }
    }

    @Test func `systemd-sysext lists its extension images or replies that there are none`()
        async throws
    {
        do {
            for try await image in SysextClient(try connection("io.systemd.sysext")).list() {
                #expect(!image.Name.isEmpty)
            }
        } catch CallFailure<SysextError>.refused(.noImagesFound) {
            // A new container has no images.
        }
    }
}
