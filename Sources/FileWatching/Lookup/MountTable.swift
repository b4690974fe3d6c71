internal import LinuxIO
internal import SystemPackage

/// Table of the current mounts (proc_pid_mountinfo(5)).
///
/// The kernel notifies watches of an unmount only when nothing uses the file system any longer. Another mount
/// namespace may use it for a long time.
struct MountTable {
    /// Maximum size of a table that is read, in bytes.
    private static let limit = 16 << 20

    /// Mount points, keyed by the number of the mount, or `nil` if the table cannot be read.
    private let places: [UInt64: FilePath]?

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
        places = bytes.map { bytes in
            let mounts = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.mount)
            return Dictionary(mounts, uniquingKeysWith: { $1 })
        }
    }

    /// Returns the number and the mount point of the mount in a line: its first and its fifth field.
    private static func mount(_ line: ArraySlice<UInt8>) -> (UInt64, FilePath)? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard words.count > 4, let number = UInt64(String(decoding: words[0], as: UTF8.self))
        else { return nil }
        let place = unescaped(words[4]).map { CInterop.PlatformChar(bitPattern: $0) } + [0]
        return (number, FilePath(platformString: place))
    }

    /// Decodes a field in which a backslash and three octal digits represent a byte.
    private static func unescaped(_ word: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = word
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(3), as: UTF8.self)
            if byte == UInt8(ascii: "\\"), digits.utf8.count == 3,
                let escaped = UInt8(digits, radix: 8)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns whether the mount at the end of a route no longer exists.
    ///
    /// The kernel may have assigned its number to another mount, which has another mount point.
    func lacksEnd(of route: Route) -> Bool {
        guard let places, let end = route.end?.found.mount, end.number != 0,
            let root = route.places.first?.found.mount,
            // If the process has another root directory, the table does not list every mount.
            places[root.number] != nil,
            let entered = route.places.first(where: { $0.found.mount == end })
        else { return false }
        return places[end.number] != entered.path
    }
}
