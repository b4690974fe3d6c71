import ExactText
import Glibc
import LinuxIO
import SavedState

/// Keeps the number of a lease for the next process, which goes on with it: what it owns stays its own.
struct LeaseFile: Sendable {
    private static let name = "lease"

    private let folder: any Folder

    init(in folder: any Folder) { self.folder = folder }

    /// The number that was kept last; nil: none, it cannot be read, or it is of another holder, as in a copy of
    /// another host's state.
    func number(of holder: String) -> Int64? {
        do throws(IOError) {
            guard let bytes = try folder.read(Self.name, limit: 1024) else { return nil }
            let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, String(parts[1]) == holder else { return nil }
            return Int64(parts[0])
        } catch {
            return nil
        }
    }

    /// Keeps a number. If that fails the next process waits until this lease is over.
    func keep(_ number: Int64, of holder: String) {
        do throws(IOError) {
            try folder.replace(
                Self.name, with: Array("\(number) \(holder)\n".utf8), temporary: "\(Self.name).new")
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
