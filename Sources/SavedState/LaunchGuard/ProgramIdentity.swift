import ExactText
import Glibc
import LinuxIO
import StateRecords

/// Identity of a program together with its storyboards (L8).
///
/// The launch guard compares identities to recognize a program that has never worked. Such a program may itself be the
/// cause of a crash. The identity does not depend on the executable's device number, because that number changes after
/// a reboot on many machines.
package struct ProgramIdentity: RawRepresentable, Sendable, Hashable, Codable {
    /// Sixteen hexadecimal digits.
    package let rawValue: String

    /// Creates an identity that was recorded earlier.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an identity from the bundle version, the fingerprint of the storyboards, and the result of
    /// ``executableChecksum()``.
    package init(
        version: String, storyboardFingerprint: UInt64, executableChecksum: UInt64
    ) {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(storyboardFingerprint)
        bytes.appendLittleEndian(executableChecksum)
        bytes += version.utf8
        let digits = String(checksum(bytes), radix: 16)
        rawValue = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns a fingerprint of several byte sequences, for example the contents of storyboards.
    package static func fingerprint(_ parts: some Sequence<[UInt8]>) -> UInt64 {
        parts.reduce(0) { checksum($1, seed: $0) }
    }

    /// Returns a checksum of the inode, length and modification time of this process's executable, or 0 if this
    /// information is unavailable.
    package static func executableChecksum() -> UInt64 {
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

/// Properties of the process and the machine that a ``LaunchGuard`` needs.
package struct LaunchEnvironment: Sendable {
    /// Identifier of the machine's current boot, or an empty string if it cannot be read.
    package var bootID: String
    /// Identifier of this process. No other process has the same identifier.
    ///
    /// The identifier has at most 63 bytes and no control characters.
    package var processID: String
    /// Result of ``ProgramIdentity/executableChecksum()``.
    package var executableChecksum: UInt64
    /// Function that returns the time since boot in milliseconds, including time spent in suspend.
    package var now: @Sendable () -> UInt64

    /// Returns the environment of this process.
    package static func current() -> LaunchEnvironment {
        LaunchEnvironment(
            bootID: readBootID(), processID: String(UInt64.random(in: .min ... .max), radix: 16),
            executableChecksum: ProgramIdentity.executableChecksum()
        ) {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return UInt64(max(0, time.microseconds)) / 1000
        }
    }

    /// Returns the identifier of the machine's current boot, or an empty string if it cannot be read, for example
    /// because the unit's sandbox hides this part of /proc.
    ///
    /// The identifier is used only in messages.
    private static func readBootID() -> String {
        do throws(IOError) {
            let directory = try Directory.open("/proc/sys/kernel/random")
            let bytes = try directory?.read("boot_id", limit: 64) ?? []
            return String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        } catch {
            return ""
        }
    }
}
