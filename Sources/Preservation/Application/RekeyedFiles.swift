import LinuxIO
import SavedState

/// What became of files that were to be encrypted as the state directory's keys say.
public struct RekeyedFiles: Sendable, Equatable {
    /// How many were written anew.
    public private(set) var count = 0
    /// Why others were not; a sentence each.
    public private(set) var failures: [String] = []

    /// None yet.
    public init() {}

    /// Adds what became of others.
    public mutating func add(_ others: RekeyedFiles) {
        count += others.count
        failures += others.failures
    }

    /// Counts one file, or tells why it is not written anew.
    mutating func note(failure: String?) {
        if let failure { failures.append(failure) } else { count += 1 }
    }

    /// Counts one file, if it is written anew.
    mutating func note<Failure>(_ body: () throws(Failure) -> Bool) {
        do throws(Failure) { if try body() { count += 1 } } catch { failures.append("\(error)") }
    }

    /// Lists files; none if that fails.
    mutating func list<Files: ExpressibleByArrayLiteral>(
        _ body: () throws(IOError) -> Files
    ) -> Files {
        do throws(IOError) {
            return try body()
        } catch {
            failures.append("\(error)")
            return []
        }
    }
}

extension Application {
    /// Writes everything that is kept of the application anew that is not encrypted as the state
    /// directory's keys say: the archive, its history, what lies in quarantine, its documents. One
    /// file after the other, each durably; turns come between.
    ///
    /// What could not be written anew stays as it is, and can be read as before.
    public func rekey() async -> RekeyedFiles {
        await waitUntilLaunchesEnd()
        var rekeyed = RekeyedFiles()
        let resealing = stateDirectory.resealing
        if saver.archive.hasState, !saver.isRemoved,
            resealing.mayArchiveBeOutdated(of: bundleIdentifier)
        {
            rekeyed.note(failure: saver.rewrite())
        }
        let files = rekeyed.list { () throws(IOError) in
            try resealing.files(of: bundleIdentifier)
        }
        for file in files {
            if Task.isCancelled {
                rekeyed.note(failure: "The daemon is ending, and did not come to every file.")
                break
            }
            // An application that was launched meanwhile has the archive in its hands.
            if file.isArchive, saver.archive.hasState { continue }
            rekeyed.note { () throws(IOError) in try resealing.reseal(file) }
            await Task.yield()
        }
        return rekeyed
    }
}

extension ApplicationStateDirectory {
    /// What tells the key that everything new is encrypted with from others: 16 hexadecimal digits;
    /// nil if nothing is encrypted.
    public var encryptionKey: String? { directory.sealingKey }

    /// Does what ``Application/rekey()`` does for the applications that nobody hosts.
    ///
    /// - Parameter hosted: the bundle identifiers of those that are hosted, and left alone.
    public func rekey(besides hosted: [String]) async -> RekeyedFiles {
        let resealing = resealing
        return await disk.run {
            var rekeyed = RekeyedFiles()
            for file in rekeyed.list({ () throws(IOError) in try resealing.damagedLaunches() }) {
                rekeyed.note { () throws(IOError) in try resealing.reseal(file) }
            }
            let applications = rekeyed.list { () throws(IOError) in try resealing.applications() }
            for application in applications where !hosted.contains(application) {
                let files = rekeyed.list { () throws(IOError) in
                    try resealing.files(of: application)
                }
                for file in files {
                    rekeyed.note { () throws(IOError) in try resealing.reseal(file) }
                }
            }
            return rekeyed
        }
    }

    /// How many files are not encrypted as the keys say, and why others cannot be looked at. Nothing is
    /// written.
    public func outdatedFiles() async -> RekeyedFiles {
        let resealing = resealing
        return await disk.run {
            var outdated = RekeyedFiles()
            for application in outdated.list({ () throws(IOError) in try resealing.applications() })
            {
                let files = outdated.list { () throws(IOError) in
                    try resealing.files(of: application)
                }
                for file in files {
                    outdated.note { () throws(IOError) in try resealing.isOutdated(file) }
                }
            }
            return outdated
        }
    }
}
