#include "cli/model.h"

struct status model_open(struct model *model, const struct cli *cli, const struct machine *machine)
{
	struct status status;

	*model = (struct model){ .machine = machine, .seed = cli->seed };
	status = uarch_choose(cli->uarch, machine, &model->core);
	if (!status_is_ok(&status))
		return status;
	if (!model->core.uarch && *model->core.nearest)
		cli_note(cli, "no limits: %s: --uarch %s takes it", model->core.how, model->core.nearest);
	else if (!model->core.uarch)
		cli_note(cli, "no limits: %s", model->core.how);
	else if (model->core.foreign)
		cli_note(cli, "limits are %s", model->core.how);
	if (model->core.uarch)
		model->explanation = explanation_new();
	return status;
}

void model_close(struct model *model)
{
	explanation_free(model->explanation);
	uarch_choice_free(&model->core);
	model->explanation = NULL;
}

const struct explanation *model_explain(struct model *model, const struct setting *setting)
{
	struct explain_question question = {
		.kernel = setting->kernel, .v = setting->v, .seed = model->seed, .uarch = model->core.uarch,
		.foreign = model->core.foreign, .machine = model->machine,
	};

	if (!model->core.uarch)
		return NULL;
	explain(&question, model->explanation);
	return model->explanation;
}
