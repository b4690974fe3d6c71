import ExactText
import LinuxIO
import SavedState

/// How many files something holds of, or was done to, and of which others that is not known, or could
/// not be done.
public struct FileTally: Sendable, Equatable {
    /// How many files.
    public private(set) var count = 0
    /// Why there may be others; a sentence each.
    public private(set) var failures: [String] = []

    /// No files.
    package init() {}

    /// Adds others.
    package mutating func add(_ others: FileTally) {
        count += others.count
        failures += others.failures
    }

    /// Tells of a file that is not counted.
    mutating func note(failure: String) { failures.append(failure) }

    /// Counts one file, if that is so.
    mutating func note<Failure>(_ body: () throws(Failure) -> Bool) {
        do throws(Failure) { if try body() { count += 1 } } catch { note(failure: "\(error)") }
    }

    /// Lists files; none if that fails.
    fileprivate mutating func list<Files: ExpressibleByArrayLiteral>(
        _ body: () throws(IOError) -> Files
    ) -> Files {
        do throws(IOError) {
            return try body()
        } catch {
            note(failure: "\(error)")
            return []
        }
    }
}

extension Application {
    /// Writes everything that is kept of the application anew that is not encrypted as the state
    /// directory's keys say: the archive, its history, what lies in quarantine, its documents. One
    /// file after the other, each durably; turns come between. It ends early where its task is cancelled.
    ///
    /// What could not be written anew stays as it is, and can be read as before.
    ///
    /// - Returns: the files that were written anew.
    public func rekey() async -> FileTally {
        await waitUntilLaunchesEnd()
        var rekeyed = FileTally()
        let resealing = stateDirectory.resealing
        if saver.archive.hasState, !saver.isRemoved,
            resealing.mayArchiveBeOutdated(of: bundleIdentifier)
        {
            if let failure = saver.rewrite() {
                rekeyed.note(failure: failure)
            } else {
                rekeyed.note { true }
            }
        }
        let files = rekeyed.list { () throws(IOError) in
            try resealing.files(of: bundleIdentifier)
        }
        for file in files {
            if Task.isCancelled { break }
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

    /// Does what ``Application/rekey()`` does for what is known of launches, and for the applications that
    /// nobody hosts.
    ///
    /// - Parameter hosted: the bundle identifiers of those that are hosted, and left alone.
    /// - Returns: the files that were written anew.
    public func rekey(besides hosted: [String]) async -> FileTally {
        let (resealing, launchGuard) = (resealing, launchGuard)
        var rekeyed = FileTally()
        let (ledger, damaged) = resealing.launchFiles
        rekeyed.add(
            await disk.run {
                var tally = FileTally()
                do throws(IOError) {
                    if try resealing.isOutdated(ledger) {
                        let isWritten = try launchGuard.rewrite()
                        tally.note { isWritten }
                        if !isWritten {
                            tally.note(
                                failure: """
                                    '\(ledger.path)' could not be used when the daemon started, \
                                    and was not written again: restart the daemon.
                                    """)
                        }
                    }
                } catch {
                    tally.note(failure: "\(error)")
                }
                return tally
            })
        var files = [damaged]
        let applications = rekeyed.list { () throws(IOError) in try resealing.applications() }
        for application in applications where !hosted.contains(application) {
            files += rekeyed.list { () throws(IOError) in try resealing.files(of: application) }
        }
        for file in files {
            if Task.isCancelled { break }
            rekeyed.add(
                await disk.run {
                    var tally = FileTally()
                    tally.note { () throws(IOError) in try resealing.reseal(file) }
                    return tally
                })
        }
        return rekeyed
    }

    /// Looks for files that are not encrypted as the keys say. Nothing is written.
    ///
    /// - Returns: the files; nil if the task was cancelled before all were looked at.
    public func outdatedFiles() async -> FileTally? {
        let resealing = resealing
        return await disk.runUnlessCancelled { _ in
            var outdated = FileTally()
            let (ledger, damaged) = resealing.launchFiles
            var files = [ledger, damaged]
            for application in outdated.list({ () throws(IOError) in try resealing.applications() })
            {
                files += outdated.list { () throws(IOError) in try resealing.files(of: application)
                }
            }
            for file in files {
                outdated.note { () throws(IOError) in try resealing.isOutdated(file) }
            }
            return outdated
        }
    }
}
