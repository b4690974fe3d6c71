import DaemonHost
import Glibc
import SystemPackage

/// A small separate file system for a host's state directory.
struct Disk: Sendable {
    /// Directory on which the file system is mounted.
    let directory: FilePath
    private let image: FilePath

    /// Size of the file system. The journal and tables of ext4 use a fifth of it.
    private static let byteCount: Int64 = 8 << 20

    /// Creates a file system for the host's state directory, calls a closure, and unmounts the file system in any case.
    static func with<Value>(
        _ host: Host, _ body: (Disk) async throws -> Value
    ) async throws -> Value {
        let disk = try await mounted(on: host)
        return try await Mount.unmounting(disk.directory) { try await body(disk) }
    }

    /// Creates a file system for the host's state directory, which the caller must unmount.
    static func mounted(on host: Host) async throws -> Disk {
        let disk = Disk(directory: host.state, image: host.directory.appending("image"))
        try disk.directory.createDirectory()
        let file = try FileDescriptor.open(
            disk.image, .writeOnly, options: .create, permissions: .ownerReadWrite)
        try file.closeAfter { try file.resize(to: byteCount) }
        try await host.run(command: ["mkfs.ext4", "-q", "-m", "0", disk.image.string])
        try await disk.mount(host)
        return disk
    }

    /// Mounts the file system again.
    func mount(_ host: Host) async throws {
        try await host.run(command: ["mount", "-o", "loop", image.string, directory.string])
    }

    /// File that occupies all free space.
    var filler: FilePath { directory.appending("filler") }

    /// Occupies all free space, up to the last block.
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

    /// Frees the occupied space.
    func free() throws {
        guard unlink(filler.string) == 0 else { throw Errno(rawValue: errno) }
    }
}

/// Mounts that tests make.
enum Mount {
    /// Calls a closure, and unmounts the file system at a path in any case.
    static func unmounting<Value>(
        _ path: FilePath, _ body: () async throws -> Value
    ) async throws -> Value {
        // The unmount is lazy if a killed process has not exited yet.
        defer { if umount2(path.string, 0) != 0 { umount2(path.string, CInt(MNT_DETACH)) } }
        return try await body()
    }
}
