import ExactText

/// What is known of the launches of one scene.
package struct SceneLaunches: Sendable, Equatable, Codable {
    /// The program that launched it last; the counts are those of its launches.
    package var identity: ProgramIdentity?
    /// The program that launched it well last.
    package var goodIdentity: ProgramIdentity?
    /// Stamped deaths while it was being launched, since a launch went well.
    package var crashes = 0
    /// Unstamped deaths while it was being launched, since a launch went well.
    package var kills = 0
    /// Stamped deaths in a row within ``LaunchLimits/soon`` of its launches.
    package var deaths = 0
    /// How the last of all these came about; a clause.
    package var lastEnd: String?
    /// When it was launched by the present process: milliseconds since the machine started.
    package var launchedAt: UInt64?
    /// Its saved state that was blamed and taken away, until it is known to be so rightly.
    package var quarantined: Quarantined?
    /// Where the state is kept that it had before another took its place, until that is known to be
    /// good (L8).
    package var replaced: String? {
        didSet { isChanged = nil }
    }
    /// Whether a person has changed the state that took the place of ``replaced``; nil for no.
    package private(set) var isChanged: Bool?
    /// Whether its state took another's place, and it was not launched since (R2); nil for no.
    private var hasNewState: Bool?
    /// Why it is not launched.
    package var stopped: LaunchStop?

    /// Nothing is known.
    package init() {}

    /// Whether nothing is wrong with it.
    var isQuiet: Bool {
        var other = SceneLaunches()
        other.identity = identity
        other.goodIdentity = goodIdentity
        return self == other
    }

    /// How many launches in a row the process did not survive.
    package var failures: Int { crashes + kills }

    /// How many ends of the process are counted.
    package var endCount: Int { failures + deaths }

    /// What its deaths come to; nil: nothing yet.
    func fault(within limits: LaunchLimits) -> LaunchFault? {
        if crashes >= limits.crashes || kills > limits.kills { return .launching }
        return deaths >= limits.deaths ? .running : nil
    }

    /// Whether its next launch is the first one with another state, and nothing came between (R2).
    package var awaitsNewState: Bool { hasNewState == true && endCount == 0 }

    /// A launch begins. What another program did says nothing of this one.
    mutating func begin(_ identity: ProgramIdentity) {
        if self.identity != identity { forgetDeaths() }
        if stopped?.identity != identity { stopped = nil }
        self.identity = identity
        launchedAt = nil
    }

    /// The launch is complete. A state that was taken away because of its launch was to blame; one
    /// that led to deaths after it may still turn out not to be.
    mutating func noteLaunched(by identity: ProgramIdentity, at time: UInt64) {
        goodIdentity = identity
        hasNewState = nil
        crashes = 0
        kills = 0
        stopped = nil
        launchedAt = time
        if let quarantined, quarantined.cause == .launching, quarantined.isTakenOut {
            self.quarantined = nil
        }
        if deaths == 0 { lastEnd = nil }
    }

    /// Whether it is launched, and there is something to forget once it has lived for long enough.
    var mayEndure: Bool {
        launchedAt != nil && (deaths > 0 || replaced != nil || quarantined?.isTakenOut == true)
    }

    /// Whether it has lived for long enough by now to forget what was before.
    func hasEndured(at time: UInt64) -> Bool {
        guard let launchedAt, mayEndure else { return false }
        return time > launchedAt && time - launchedAt > LaunchLimits.soon
    }

    /// It has ended in an orderly way: nothing is wrong with it.
    mutating func noteEnded() {
        launchedAt = nil
        noteEndured()
    }

    /// It has lived for long enough: nothing is wrong with it.
    mutating func noteEndured() {
        replaced = nil
        forgetDeaths()
        if quarantined?.isTakenOut == true { quarantined = nil }
    }

    /// Its saved state is another: nothing that happened is the fault of that.
    mutating func noteNewState() {
        hasNewState = true
        stopped = nil
        quarantined = nil
        forgetDeaths()
    }

    /// A person changes it, so that it is given up no more for what happens to other scenes.
    mutating func noteChanged() {
        if replaced != nil { isChanged = true }
    }

    /// What is counted is known to be of a state that is gone.
    mutating func noteFellBack() {
        replaced = nil
        hasNewState = nil
        forgetDeaths()
    }

    /// What is counted is known to be of the state that was taken away.
    mutating func noteTakenOut() {
        quarantined?.isTakenOut = true
        forgetDeaths()
    }

    /// The process died by itself, having launched the scene.
    mutating func noteDeath(_ end: String, at time: UInt64) {
        guard let launchedAt, time >= launchedAt else { return }
        if time - launchedAt > LaunchLimits.soon {
            noteEnded()
        } else {
            deaths += 1
            lastEnd = end
        }
    }

    /// Numbers that no file can make too large to count on.
    mutating func limitCounts() {
        for count in [\SceneLaunches.crashes, \.kills, \.deaths] {
            self[keyPath: count] = min(max(self[keyPath: count], 0), 1_000_000)
        }
    }

    mutating func forgetDeaths() {
        crashes = 0
        kills = 0
        deaths = 0
        lastEnd = nil
    }
}

/// A scene's saved state that lies in quarantine because of a crash.
package struct Quarantined: Sendable, Equatable, Codable {
    /// Its name there.
    package var name: String
    /// The number of the scene's record in the archive that it was in.
    package var record: UInt32
    /// What it is blamed for.
    package var cause: LaunchFault
    /// Whether it is certain that the archive does not hold it any more.
    package var isTakenOut = false

    /// A state of that name.
    package init(name: String, record: UInt32, cause: LaunchFault) {
        self.name = name
        self.record = record
        self.cause = cause
    }
}

/// A scene among those of all applications.
package struct SceneKey: Sendable, Codable, Hashable, Comparable {
    /// The application's bundle identifier.
    package var application: String
    /// The scene's name.
    package var scene: String

    /// The scene of this name.
    package init(application: String, scene: String) {
        self.application = application
        self.scene = scene
    }

    package static func < (left: SceneKey, right: SceneKey) -> Bool {
        left.application == right.application
            ? left.scene < right.scene : left.application < right.application
    }
}
