import ExactText
import Glibc
import LinuxIO
import StateRecords

/// Tells one program, with the storyboards that it is given, from another (L8): whether a crash may
/// be the fault of a program that never worked. The executable's device is no part of it, because
/// that has another number after a restart of many a machine.
package struct ProgramIdentity: RawRepresentable, Sendable, Hashable, Codable {
    /// Sixteen hexadecimal digits.
    package let rawValue: String

    /// An identity that was noted.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// An identity of the bundle version, the storyboards' fingerprint, and the ``executable()``.
    package init(version: String, resources: UInt64, executable: UInt64) {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(resources)
        bytes.appendLittleEndian(executable)
        bytes += version.utf8
        let digits = String(checksum(bytes), radix: 16)
        rawValue = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A fingerprint of bytes, such as those of storyboards.
    package static func fingerprint(_ parts: some Sequence<[UInt8]>) -> UInt64 {
        parts.reduce(0) { checksum($1, seed: $0) }
    }

    /// The inode, length and time of change of the file that this process was started from, as a
    /// checksum; 0 where they cannot be told.
    package static func executable() -> UInt64 {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return 0 }
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt64(status.st_ino))
        bytes.appendLittleEndian(Int64(status.st_size))
        bytes.appendLittleEndian(Int64(status.st_mtim.tv_sec))
        bytes.appendLittleEndian(Int64(status.st_mtim.tv_nsec))
        return checksum(bytes)
    }
}

/// What a ``LaunchGuard`` has to know of the process and the machine that it is in.
package struct LaunchEnvironment: Sendable {
    /// Tells one start of the machine from another; empty where that cannot be read.
    package var boot: String
    /// Tells this process from all others; at most 63 bytes, no control characters.
    package var process: String
    /// What ``ProgramIdentity/executable()`` gives.
    package var executable: UInt64
    /// The milliseconds since the machine started, suspended or not.
    package var now: @Sendable () -> UInt64

    /// The environment of this process.
    package static func current() -> LaunchEnvironment {
        LaunchEnvironment(
            boot: bootID(), process: String(UInt64.random(in: .min ... .max), radix: 16),
            executable: ProgramIdentity.executable()
        ) {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return UInt64(max(0, time.microseconds)) / 1000
        }
    }

    /// A daemon that may see nothing of /proc but processes has none; only sentences go by it.
    private static func bootID() -> String {
        do throws(IOError) {
            let folder = try Directory.open("/proc/sys/kernel/random")
            let bytes = try folder?.read("boot_id", limit: 64) ?? []
            return String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        } catch {
            return ""
        }
    }
}
