import DaemonHost
import Glibc
import SystemPackage

/// A small file system of its own under a host's state directory.
struct Disk: Sendable {
    /// Where it is mounted.
    let folder: FilePath
    private let image: FilePath

    /// Its size; the journal and tables of ext4 take a fifth of it.
    private static let byteCount: Int64 = 8 << 20

    /// Makes a file system on the host's state directory for the body, and takes it away after it,
    /// whatever happens.
    static func with<Value>(
        _ host: Host, _ body: (Disk) async throws -> Value
    ) async throws -> Value {
        let disk = try await mounted(on: host)
        return try await Mount.unmounting(disk.folder) { try await body(disk) }
    }

    /// Makes a file system on the host's state directory, for the caller to unmount.
    static func mounted(on host: Host) async throws -> Disk {
        let disk = Disk(folder: host.state, image: host.folder.appending("image"))
        try disk.folder.makeFolder()
        let file = try FileDescriptor.open(
            disk.image, .writeOnly, options: .create, permissions: .ownerReadWrite)
        try file.closeAfter { try file.resize(to: byteCount) }
        try await host.run(command: ["mkfs.ext4", "-q", "-m", "0", disk.image.string])
        try await disk.mount(host)
        return disk
    }

    /// Mounts it where it was.
    func mount(_ host: Host) async throws {
        try await host.run(command: ["mount", "-o", "loop", image.string, folder.string])
    }

    /// What takes all the space.
    var filler: FilePath { folder.appending("filler") }

    /// Takes all the space that is left, to the last block.
    func fill() throws {
        let file = try FileDescriptor.open(
            filler, .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        try file.closeAfter {
            for size in [1 << 16, 1 << 10] {
                let bytes = [UInt8](repeating: 0xFF, count: size)
                do {
                    while true { try file.writeAll(bytes) }
                } catch Errno.noSpace {
                    continue
                }
            }
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Gives the space back.
    func free() throws {
        guard unlink(filler.string) == 0 else { throw Errno(rawValue: errno) }
    }
}

/// Mounts of a test.
enum Mount {
    /// Runs a body, then takes away what is mounted at a path, whatever happened.
    static func unmounting<Value>(
        _ path: FilePath, _ body: () async throws -> Value
    ) async throws -> Value {
        // Lazily if a process that was killed is not gone yet.
        defer { if umount2(path.string, 0) != 0 { umount2(path.string, CInt(MNT_DETACH)) } }
        return try await body()
    }
}
