public import Reprise

/// The applications that ship with Reprise.
public enum SampleApplications {
    /// All of them.
    public static let all: [HostedApplication] = [
        .childViews, .stateRestore, .homepwner, .scrapbook,
    ]
}
