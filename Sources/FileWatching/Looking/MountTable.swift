internal import LinuxIO

/// The mounts that there are (proc_pid_mountinfo(5)).
///
/// The kernel tells watches of an unmount only when nothing holds the file system any more, which
/// another mount namespace may do for long.
struct MountTable {
    /// The longest table that is read, in bytes.
    private static let limit = 16 << 20

    /// The numbers of the mounts; nil: nobody knows.
    private let numbers: Set<UInt64>?

    /// The table as it is now.
    static var current: MountTable {
        do throws(IOError) {
            return MountTable(
                bytes: try Directory.open("/proc/self")?.read("mountinfo", limit: limit))
        } catch {
            return MountTable(bytes: nil)
        }
    }

    init(bytes: [UInt8]?) {
        numbers = bytes.map { bytes in
            Set(
                bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
                    UInt64(String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
                })
        }
    }

    /// Whether a mount is known to be gone.
    func lacks(_ mount: MountIdentity) -> Bool {
        guard let numbers, mount.number != 0 else { return false }
        return !numbers.contains(mount.number)
    }
}
