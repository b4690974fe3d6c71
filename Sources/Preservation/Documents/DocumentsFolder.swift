import Encryption
import ExactText
import Glibc
import LinuxIO
import SavedState

/// The folder in which an application keeps its model data, apart from its saved state:
/// `Documents/<bundle identifier>` in the state directory (L1, L7).
///
/// Reading makes nothing. The folder (0700) is made by the first document (0600) that is put into
/// it. Nothing here is ever removed by Reprise, not even when the saved state is (L1).
///
/// It keeps the state directory locked for as long as it lives.
public struct DocumentsFolder: Sendable {
    static let folderName = "Documents"
    /// The longest document, in bytes, that ``replace(_:with:)`` takes, and ``read(_:limit:)``
    /// unless it is told otherwise.
    public static let usualLimit = 64 << 20

    private let directory: StateDirectory
    private let bundleIdentifier: String
    /// Is told of each document that is replaced.
    let mirror = DocumentMirror()
    /// Documents that the running application has read or replaced.
    let openDocuments = OpenDocuments()

    init(_ directory: StateDirectory, bundleIdentifier: String) {
        self.directory = directory
        self.bundleIdentifier = bundleIdentifier
    }

    /// The folder's path, whether it is there or not.
    public var path: String {
        "\(directory.path)/\(Self.folderName)/\(bundleIdentifier)"
    }

    /// Where a document of this name is, or would be.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Reads a whole document.
    ///
    /// - Parameters:
    ///   - name: the document's name: 1 to 250 bytes, without `/` and control characters, not
    ///     beginning with `.`.
    ///   - limit: the largest length accepted, in bytes.
    /// - Returns: its bytes; nil if there is no document of this name.
    /// - Throws: ``DocumentError``; a longer document is one with the errno `EFBIG`.
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

    /// Writes documents again whose names another program removed since this program read or replaced them.
    ///
    /// - Returns: The documents, each with the error if it could not be written.
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

    /// Opens the folder, or returns `nil` if it does not exist.
    private func openFolder() throws(IOError) -> (any SealingFolder)? {
        try directory.root.subfolder(Self.folderName)?.subfolder(bundleIdentifier)
    }

    /// Holds the new file of each document that another program has replaced.
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

    /// Holds a document open, if that is possible: nothing but its recovery depends on it.
    private func hold(_ name: String, in folder: some Folder) {
        do throws(IOError) {
            if let file = try folder.openForReading(name) {
                return openDocuments.hold(file, as: name)
            }
        } catch {}
        openDocuments.forget(name)
    }

    /// Puts a whole new document in the place of the one of this name, if there is one.
    ///
    /// It is durable on return. After an error, and after a power cut, the name holds the old or
    /// the new bytes, whole.
    ///
    /// - Parameters:
    ///   - name: the document's name, as ``read(_:limit:)`` takes it.
    ///   - bytes: what it holds from now on.
    /// - Throws: ``DocumentError``; bytes beyond ``usualLimit``, which could not be read again, are
    ///   one with the errno `EFBIG`.
    public func replace(_ name: String, with bytes: [UInt8]) throws(DocumentError) {
        try check(name)
        guard bytes.count <= Self.usualLimit else { throw .tooLong(path(of: name), bytes.count) }
        do throws(IOError) {
            try directory.replaceDocument(of: bundleIdentifier) { () throws(IOError) in
                // Elsewhere nobody would look for it.
                guard try directory.root.standing() == .same else {
                    throw IOError(.openFolder, path: directory.path, code: ESTALE)
                }
                try replace(
                    name, with: bytes, below: try directory.root.makeSubfolder(Self.folderName))
            }
        } catch {
            throw DocumentError(error)
        }
        mirror.note(name, bytes)
    }

    /// The names of the documents that there are. What else is in the folder is none.
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

    /// - Parameter documents: the folder of all applications' folders.
    private func replace(
        _ name: String, with bytes: [UInt8], below documents: some Folder
    ) throws(IOError) {
        let folder = try documents.makeSubfolder(bundleIdentifier)
        // What cannot be read for want of a key is not written over.
        do throws(IOError) {
            _ = try folder.openForReading(name)
        } catch  where error.lacksKey {
            throw error
        } catch {}  // Whatever else is wrong with it, it is replaced.
        // A document that is there shows that the folders above it were made durable before.
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
        return (1...DocumentError.mostBytes).contains(bytes.count)
            && bytes.first != UInt8(ascii: ".")
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }
}
