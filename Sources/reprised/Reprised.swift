import Reprise
import SampleApplications

/// The daemon with the sample applications that ship with it.
@main
enum Reprised {
    static func main() async {
        await Daemon.main(.reprised, applications: SampleApplications.all)
    }
}
