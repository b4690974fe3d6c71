import Glibc
package import LinuxIO

/// Something that lies in quarantine.
package struct QuarantinedState: Sendable, Equatable {
    /// Its name there: `000002-main.archive`.
    package var name: String
    /// Its path.
    package var path: String
    /// What it is; only a file can be put back.
    package var kind = FileKind.file
    /// Why it is there; nil if nobody left a reason.
    package var reason: String?
    /// When it was put there, going by the file with the reason: microseconds since 1970, UTC.
    package var time: Int64?
    /// How many bytes it has.
    package var byteCount: Int
}

extension ApplicationArchive {
    /// The most bytes of a reason that are told.
    private static let mostReasonBytes = 4096

    /// What lies in quarantine, in the order of the numbers.
    ///
    /// Whatever somebody put there is listed, by its kind; a reason that cannot be read is none.
    package func quarantined() throws(IOError) -> [QuarantinedState] {
        guard let quarantine = try quarantineFolder() else { return [] }
        let suffix = Quarantine.reasonSuffix
        var all: [QuarantinedState] = []
        for name in try quarantine.names() where !name.hasSuffix(suffix) {
            guard let status = try quarantine.entryStatus(of: name) else { continue }
            all.append(
                QuarantinedState(
                    name: name, path: quarantinePath(of: name), kind: status.kind,
                    reason: reason(name + suffix, in: quarantine),
                    time: try quarantine.entryStatus(of: name + suffix)?.modified,
                    byteCount: status.size))
        }
        return all
    }

    /// The first line of a file with a reason, cut where it is too long.
    private func reason(_ name: String, in quarantine: some Folder) -> String? {
        let bytes: [UInt8]
        do throws(IOError) {
            guard try quarantine.entryStatus(of: name)?.kind == .file,
                let read = try start(of: name, in: quarantine)
            else { return nil }
            bytes = read
        } catch {
            return nil
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.isEmpty { return nil }
        let told = String(decoding: line.prefix(Self.mostReasonBytes), as: UTF8.self)
        return line.count > Self.mostReasonBytes ? "\(told)…" : told
    }

    private func start(of name: String, in quarantine: some Folder) throws(IOError) -> [UInt8]? {
        do throws(IOError) {
            return try quarantine.read(name, limit: Self.mostReasonBytes)
        } catch  where error.code == EFBIG {
            return try quarantine.openForAppending(name)?.read(upTo: Self.mostReasonBytes + 1)
        }
    }
}
