import ExactText
import Glibc
import LinuxIO
import SavedState

/// File that stores the number of a lease for the next process, which continues the lease and keeps its
/// applications.
struct LeaseFile: Sendable {
    private static let name = "lease"

    private let folder: any Folder

    init(in folder: any Folder) { self.folder = folder }

    /// Returns the stored number, or `nil` if it is missing, unreadable or from another holder.
    ///
    /// A copy of another host's state contains the number of another holder.
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

    /// Stores a number. If that fails, the next process has to wait until this lease has expired.
    func keep(_ number: Int64, of holder: String) {
        do throws(IOError) {
            try folder.replace(
                Self.name, with: Array("\(number) \(holder)\n".utf8), temporary: "\(Self.name).new")
        } catch {}
    }
}

/// The machine on which this process runs.
enum LocalHost {
    /// Host name, as gethostname(2) reports it.
    static var name: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
