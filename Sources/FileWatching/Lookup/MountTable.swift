internal import LinuxIO
internal import SystemPackage

/// Table of the current mounts (proc_pid_mountinfo(5)).
///
/// inotify(7) does not report an unmount until the file system is no longer in use. Another mount namespace can use the
/// file system for much longer, so the table is checked as well.
struct MountTable {
    /// Maximum size of the table in bytes.
    private static let limit = 16 << 20

    /// Mount points, keyed by mount ID, or `nil` if the table cannot be read.
    private let mountPoints: [UInt64: FilePath]?

    /// The current table.
    static var current: MountTable {
        do throws(IOError) {
            return MountTable(
                bytes: try Directory.open("/proc/self")?.read("mountinfo", limit: limit))
        } catch {
            return MountTable(bytes: nil)
        }
    }

    init(bytes: [UInt8]?) {
        mountPoints = bytes.map { bytes in
            let mounts = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.mount)
            return Dictionary(mounts, uniquingKeysWith: { $1 })
        }
    }

    /// Parses the mount ID and the mount point, which are the first and fifth fields of a line.
    private static func mount(_ line: ArraySlice<UInt8>) -> (UInt64, FilePath)? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard words.count > 4, let number = UInt64(String(decoding: words[0], as: UTF8.self))
        else { return nil }
        let mountPoint = unescaped(words[4]).map { CInterop.PlatformChar(bitPattern: $0) } + [0]
        return (number, FilePath(platformString: mountPoint))
    }

    /// Decodes a field in which a backslash and three octal digits represent a byte.
    private static func unescaped(_ word: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var remainder = word
        while let byte = remainder.popFirst() {
            let digits = String(decoding: remainder.prefix(3), as: UTF8.self)
            if byte == UInt8(ascii: "\\"), digits.utf8.count == 3,
                let escaped = UInt8(digits, radix: 8)
            {
                bytes.append(escaped)
                remainder = remainder.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns whether the mount at the end of a route no longer exists.
    ///
    /// Comparing mount IDs is not enough: the kernel may have reused the ID for a mount with a different mount point.
    func isEndUnmounted(of route: ResolvedRoute) -> Bool {
        guard let mountPoints, let end = route.end?.entry.mount, end.number != 0,
            let root = route.nodes.first?.entry.mount,
            // If the process has a different root directory, the table does not list every mount.
            mountPoints[root.number] != nil,
            let entered = route.nodes.first(where: { $0.entry.mount == end })
        else { return false }
        return mountPoints[end.number] != entered.path
    }
}
