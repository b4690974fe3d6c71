import Encryption
import ExactText
import LinuxIO
import SavedState
import StateRecords
import TerminalText

/// A backup on disk.
struct SavedBackup {
    /// Bundle identifiers of the applications in it, sorted.
    let applications: [String]
    private let states: Directory?
    private let documents: Directory?

    /// Opens a backup and verifies every archive.
    ///
    /// - Throws: ``Failure`` if the directory is no backup, or an archive in it is not whole.
    init(_ path: String, keys: EncryptionKeys) throws {
        do {
            let root = try Directory.open(path)
            states = try root?.subfolder(BackupInstallation.applications)
            documents = try root?.subfolder(BackupInstallation.documents)
            let folders = try documents?.names().filter { !$0.hasPrefix(".") } ?? []
            var names = Set(folders.map { ExactString($0) })
            for folder in try states?.names() ?? []
            where folder.hasSuffix(ApplicationArchive.folderSuffix) {
                let name = String(folder.dropLast(ApplicationArchive.folderSuffix.count))
                guard
                    try states?.subfolder(folder)?.status(of: ApplicationArchive.fileName) != nil
                else { continue }
                names.insert(ExactString(name))
                let file =
                    "\(path)/\(BackupInstallation.applications)/\(folder)/\(ApplicationArchive.fileName)"
                if let problem = try InspectedArchive(path: file, keys: keys).problem {
                    throw Failure("\(problem) Nothing was restored.")
                }
            }
            applications = names.sorted().map(\.text)
        } catch let error as IOError {
            throw Failure("\(error)")
        }
        if applications.isEmpty {
            throw Failure(
                "'\(path.printable)' is not a backup: name the directory that `reprisectl backup` made.",
                status: .usage)
        }
    }

    /// Reads the archive of an application; `nil` if the backup has none.
    func archive(of application: String) throws(IOError) -> [UInt8]? {
        try states?.subfolder(application + ApplicationArchive.folderSuffix)?
            .read(ApplicationArchive.fileName, limit: ArchiveFormat.largestFile)
    }

    /// Names of the documents of an application.
    func documentNames(of application: String) throws(IOError) -> [String] {
        guard let folder = try documents?.subfolder(application) else { return [] }
        var names: [String] = []
        for name in try folder.names() where try folder.entryStatus(of: name)?.kind == .file {
            names.append(name)
        }
        return names
    }

    /// Reads a document of an application; `nil` if it does not exist any more.
    func document(_ name: String, of application: String) throws(IOError) -> [UInt8]? {
        try documents?.subfolder(application)?.read(name, limit: ArchiveFormat.largestFile)
    }
}
