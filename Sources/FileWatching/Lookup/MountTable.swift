internal import LinuxIO
internal import SystemPackage

/// Table of the current mounts (proc_pid_mountinfo(5)).
///
/// inotify(7) reports an unmount only when the file system is no longer in use. Another mount namespace can use the
/// file system for much longer, so the table is checked as well.
struct MountTable {
    /// Maximum size of the table in bytes.
    private static let maximumBytes = 16 << 20

    /// Mount points, keyed by mount ID, or `nil` if the table cannot be read.
    private let mountPoints: [UInt64: FilePath]?

    /// The current table.
    static var current: MountTable {
        do throws(IOError) {
            return MountTable(
                bytes: try Directory.open("/proc/self")?.read("mountinfo", limit: maximumBytes))
        } catch {
            return MountTable(bytes: nil)
        }
    }

    init(bytes: [UInt8]?) {
        mountPoints = bytes.map { bytes in
            let mounts = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.parseMount)
            return Dictionary(mounts, uniquingKeysWith: { $1 })
        }
    }

    /// Parses the mount ID and the mount point, which are the first and fifth fields of a line.
    private static func parseMount(_ line: ArraySlice<UInt8>) -> (UInt64, FilePath)? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 4, let mountID = UInt64(String(decoding: fields[0], as: UTF8.self))
        else { return nil }
        let mountPoint = decodeField(fields[4]).map { CInterop.PlatformChar(bitPattern: $0) } + [0]
        return (mountID, FilePath(platformString: mountPoint))
    }

    /// Decodes a field in which a backslash and three octal digits represent a byte.
    private static func decodeField(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var remainder = field
        while let byte = remainder.popFirst() {
            let digits = String(decoding: remainder.prefix(3), as: UTF8.self)
            if byte == UInt8(ascii: "\\"), digits.utf8.count == 3,
                let escapedByte = UInt8(digits, radix: 8)
            {
                bytes.append(escapedByte)
                remainder = remainder.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns whether the mount at the end of a route no longer exists.
    ///
    /// Comparing mount IDs is not enough, because the kernel may have reused the ID for another mount point.
    func isEndUnmounted(of route: ResolvedRoute) -> Bool {
        guard let mountPoints, let endMount = route.endNode?.entry.mountIdentity,
            endMount.mountID != 0,
            let rootMount = route.nodes.first?.entry.mountIdentity,
            // If the process has its own root directory, the table does not list every mount.
            mountPoints[rootMount.mountID] != nil,
            let firstMountNode = route.nodes.first(where: { $0.entry.mountIdentity == endMount })
        else { return false }
        return mountPoints[endMount.mountID] != firstMountNode.path
    }
}
