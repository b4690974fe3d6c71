internal import LinuxIO
internal import SystemPackage

/// The mounts that there are (proc_pid_mountinfo(5)).
///
/// The kernel tells watches of an unmount only when nothing holds the file system any more, which
/// another mount namespace may do for long.
struct MountTable {
    /// The longest table that is read, in bytes.
    private static let limit = 16 << 20

    /// The places of the mounts by their numbers; nil if the table cannot be read.
    private let places: [UInt64: FilePath]?

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
        places = bytes.map { bytes in
            let mounts = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.mount)
            return Dictionary(mounts, uniquingKeysWith: { $1 })
        }
    }

    /// The number and the place of one line's mount: its first and its fifth word.
    private static func mount(_ line: ArraySlice<UInt8>) -> (UInt64, FilePath)? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard words.count > 4, let number = UInt64(String(decoding: words[0], as: UTF8.self))
        else { return nil }
        let place = unescaped(words[4]).map { CInterop.PlatformChar(bitPattern: $0) } + [0]
        return (number, FilePath(platformString: place))
    }

    /// A word in which a backslash and three octal digits stand for a byte.
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

    /// Whether the mount is known to be gone in which a way ended.
    ///
    /// Its number may have been given to another one, which is elsewhere.
    func lacksEnd(of route: Route) -> Bool {
        guard let places, let end = route.end?.found.mount, end.number != 0,
            let root = route.places.first?.found.mount, root != end,
            // In another root folder not every mount is listed.
            places[root.number] != nil,
            let entered = route.places.first(where: { $0.found.mount == end })
        else { return false }
        return places[end.number] != entered.path
    }
}
