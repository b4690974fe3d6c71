import Glibc
import LinuxIO

/// The folder in an application's folder that holds its generations.
///
/// A generation is named by a number, one higher than the highest there. Each is a file of its own,
/// never another name of the archive's file.
struct History {
    static let name = "history"
    static let suffix = ".archive"
    static let temporaryName = "archive.new"

    private let applicationFolder: any Folder
    private let folder: any Folder

    init(in applicationFolder: any Folder) throws(IOError) {
        self.applicationFolder = applicationFolder
        folder = try applicationFolder.makeSubfolder(Self.name)
        // Even if it was there: the attempt that made it may have failed to make it durable.
        try applicationFolder.synchronize()
    }

    /// Makes a generation of these bytes; returns its path. Durable on return.
    func keep(_ bytes: [UInt8]) throws(IOError) -> String {
        let name = try nextName()
        try folder.replace(name, with: bytes, temporary: Self.temporaryName)
        return "\(folder.path)/\(name)"
    }

    /// Moves a file of the application's folder here; returns its new path. Durable on return.
    func take(_ file: String) throws(IOError) -> String {
        let name = try nextName()
        try applicationFolder.rename(file, to: "\(Self.name)/\(name)")
        // The new name first: a power cut between the two may leave both, but never none.
        try folder.synchronize()
        try applicationFolder.synchronize()
        return "\(folder.path)/\(name)"
    }

    /// The newest generation that can be read, of the few newest; nil if there is none.
    static func newest(
        in applicationFolder: some Folder, limit: Int, bundleIdentifier: String?
    ) throws(IOError) -> (prefix: ArchiveReader.Prefix, path: String)? {
        guard let folder = try applicationFolder.subfolder(name) else { return nil }
        let names = try folder.names().filter { $0.hasSuffix(suffix) }
            .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        for name in names.prefix(mostTried) {
            let bytes: [UInt8]
            do throws(IOError) {
                guard let found = try folder.read(name, limit: limit) else { continue }
                bytes = found
            } catch  where [EFBIG, EINVAL, EISDIR, EACCES].contains(error.code) {
                continue  // It is no generation, or none for us; an older one may be.
            }
            switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
            case .whole(let prefix), .torn(let prefix, _):
                if prefix.hasPass { return (prefix, "\(folder.path)/\(name)") }
            case .damaged, .newer: continue
            }
        }
        return nil
    }

    private static let mostTried = 16

    private func nextName() throws(IOError) -> String {
        NumberedName.next(after: try folder.names(), suffix: Self.suffix)
    }
}
