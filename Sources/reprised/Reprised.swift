import Reprise
import SampleApplications

/// Daemon with the sample applications.
@main
enum Reprised {
    static func main() async {
        await Daemon.main(.reprised, applications: SampleApplications.all)
    }
}
