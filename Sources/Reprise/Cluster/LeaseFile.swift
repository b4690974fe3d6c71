import Glibc
import LinuxIO
import SavedState

/// Keeps the number of a lease for the next process, which goes on with it: what it owns stays its own.
struct LeaseFile: Sendable {
    private static let name = "lease"

    private let folder: any Folder

    init(in folder: any Folder) { self.folder = folder }

    /// The number that was kept last; nil: none, or it cannot be read.
    var number: Int64? {
        do throws(IOError) {
            guard let bytes = try folder.read(Self.name, limit: 32) else { return nil }
            return Int64(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        } catch {
            return nil
        }
    }

    /// Keeps a number. If that fails the next process waits until this lease is over.
    func keep(_ number: Int64) {
        do throws(IOError) {
            try folder.replace(
                Self.name, with: Array("\(number)\n".utf8), temporary: "\(Self.name).new")
        } catch {}
    }
}

/// The machine's name.
enum LocalHost {
    /// As gethostname(2) tells it.
    static var name: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
