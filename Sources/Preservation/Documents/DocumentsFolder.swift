import Encryption
import ExactText
import Glibc
import LinuxIO
import SavedState

/// Directory in which an application stores its model data, separate from its saved state (L1, L7).
///
/// The directory is `Documents/<bundle identifier>` in the state directory. It is created (mode 0700) when
/// the first document (mode 0600) is written. Reading a document does not create the directory. Reprise never
/// deletes documents, even if the saved state is removed (L1).
///
/// The state directory stays locked until this value is released.
public struct DocumentsFolder: Sendable {
    static let folderName = "Documents"
    /// Maximum size of a document in bytes for ``replace(_:with:)``, and the default limit of
    /// ``read(_:limit:)``.
    public static let usualLimit = 64 << 20

    private let directory: StateDirectory
    private let bundleIdentifier: String
    /// Receives each replaced document, for replication.
    let mirror = DocumentMirror()
    /// Documents that the running application has read or replaced.
    let openDocuments = OpenDocuments()

    init(_ directory: StateDirectory, bundleIdentifier: String) {
        self.directory = directory
        self.bundleIdentifier = bundleIdentifier
    }

    /// Path of the directory, which need not exist.
    public var path: String {
        "\(directory.path)/\(Self.folderName)/\(bundleIdentifier)"
    }

    /// Returns the path of a document, which need not exist.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Reads a whole document.
    ///
    /// - Parameters:
    ///   - name: Name of the document: 1 to 250 bytes without `/` and control characters, not beginning with
    ///     `.`.
    ///   - limit: Maximum size in bytes.
    /// - Returns: Contents of the document, or `nil` if it does not exist.
    /// - Throws: ``DocumentError``. If the document is larger than the limit, the error has the errno
    ///   `EFBIG`.
    public func read(
        _ name: String, limit: Int = usualLimit
    ) throws(DocumentError) -> [UInt8]? {
        try check(name)
        do throws(IOError) {
            guard
                let folder = try openFolder(),
                let bytes = try folder.readIntact(name, limit: limit)
            else {
                openDocuments.forget(name)
                return nil
            }
            hold(name, in: folder)
            return bytes
        } catch {
            throw DocumentError(error)
        }
    }

    /// Recreates documents that another program removed after this program had read or replaced them.
    ///
    /// - Returns: The removed documents, each with an error if it could not be recreated.
    func restoreRemoved() -> [(name: String, failure: DocumentError?)] {
        if openDocuments.entries.isEmpty { return [] }
        do throws(DocumentError) {
            let present = Set(try names().map { ExactString($0) })
            holdReplaced(present)
            return openDocuments.entries.filter { !present.contains(ExactString($0.name)) }.map {
                name, file in
                do throws(DocumentError) {
                    let bytes: [UInt8]
                    do throws(IOError) {
                        bytes = try file.readWhole(limit: Self.usualLimit)
                    } catch {
                        throw DocumentError(error)
                    }
                    try replace(name, with: bytes)
                    return (name, nil)
                } catch {
                    return (name, error)
                }
            }
        } catch {
            return []  // A directory that cannot be read is reported when a document is.
        }
    }

    /// Opens the directory, or returns `nil` if it does not exist.
    private func openFolder() throws(IOError) -> (any SealingFolder)? {
        try directory.root.subfolder(Self.folderName)?.subfolder(bundleIdentifier)
    }

    /// Holds open the new file of each document that another program has replaced.
    private func holdReplaced(_ present: Set<ExactString>) {
        do throws(IOError) {
            guard let folder = try openFolder() else { return }
            for (name, file) in openDocuments.entries where present.contains(ExactString(name)) {
                let status = try file.status()
                if try folder.status(of: name)?.isSameFile(as: status) != true {
                    hold(name, in: folder)
                }
            }
        } catch {}  // An error that lasts is reported when a document is read.
    }

    /// Holds a document open if possible. An error is ignored, because the file is only needed to recreate
    /// the document.
    private func hold(_ name: String, in folder: some Folder) {
        do throws(IOError) {
            if let file = try folder.openForReading(name) {
                return openDocuments.hold(file, as: name)
            }
        } catch {}
        openDocuments.forget(name)
    }

    /// Replaces a document, or creates it if it does not exist.
    ///
    /// The document is durable when the method returns. After an error or a power cut, the file contains
    /// either all old bytes or all new bytes.
    ///
    /// - Parameters:
    ///   - name: Name of the document, as for ``read(_:limit:)``.
    ///   - bytes: New contents of the document.
    /// - Throws: ``DocumentError``. If there are more bytes than ``usualLimit``, the error has the errno
    ///   `EFBIG`, because the document could not be read again.
    public func replace(_ name: String, with bytes: [UInt8]) throws(DocumentError) {
        try check(name)
        guard bytes.count <= Self.usualLimit else { throw .tooLong(path(of: name), bytes.count) }
        do throws(IOError) {
            try directory.replaceDocument(of: bundleIdentifier) { () throws(IOError) in
                // If the state directory was moved or replaced, the next start would not find the document.
                guard try directory.root.pathStatus() == .same else {
                    throw IOError(.openFolder, path: directory.path, code: ESTALE)
                }
                try replace(
                    name, with: bytes, below: try directory.root.makeSubfolder(Self.folderName))
            }
        } catch {
            throw DocumentError(error)
        }
        mirror.replicateDocument(name, bytes)
    }

    /// Returns the names of the documents. Other entries of the directory are ignored.
    func names() throws(DocumentError) -> [String] {
        do throws(IOError) {
            guard let folder = try openFolder() else { return [] }
            var names: [String] = []
            for name in try folder.names() where isName(name) {
                if try folder.status(of: name)?.kind == .file { names.append(name) }
            }
            return names
        } catch {
            throw DocumentError(error)
        }
    }

    /// Replaces a document in the application's directory.
    ///
    /// - Parameter documents: Directory that contains the directories of all applications.
    private func replace(
        _ name: String, with bytes: [UInt8], below documents: some Folder
    ) throws(IOError) {
        let folder = try documents.makeSubfolder(bundleIdentifier)
        // A file that cannot be decrypted because its key is missing must not be overwritten.
        do throws(IOError) {
            _ = try folder.openForReading(name)
        } catch  where error.lacksKey {
            throw error
        } catch {}  // Whatever else is wrong with it, it is replaced.
        // If the document exists, the directories above it were already made durable.
        if try !folder.names().contains(name) {
            try directory.root.synchronize()
            try documents.synchronize()
        }
        try folder.replace(name, with: bytes, temporary: ".\(name).new")
        hold(name, in: folder)
    }

    private func check(_ name: String) throws(DocumentError) {
        if !isName(name) { throw .invalidName(name) }
    }

    private func isName(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...DocumentError.maximumBytes).contains(bytes.count)
            && bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }
}
