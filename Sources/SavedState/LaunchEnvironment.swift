import Glibc
import LinuxIO

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

    /// An environment of these parts.
    package init(
        boot: String, process: String, executable: UInt64, now: @escaping @Sendable () -> UInt64
    ) {
        self.boot = boot
        self.process = process
        self.executable = executable
        self.now = now
    }

    /// The environment of this process.
    package static func current() -> LaunchEnvironment {
        LaunchEnvironment(
            boot: bootID(), process: String(UInt64.random(in: .min ... .max), radix: 16),
            executable: ProgramIdentity.executable(),
            now: {
                var time = timespec()
                clock_gettime(CLOCK_BOOTTIME, &time)
                return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
            })
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
